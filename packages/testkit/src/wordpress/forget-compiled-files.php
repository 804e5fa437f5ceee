<?php
// Called after a test has changed files from outside: opcache looks again only after seconds.
opcache_reset();
