-- Whether the last call to the site lasted long. The tasks of slow sites are called after those of other sites.
ALTER TABLE sites ADD COLUMN is_slow boolean NOT NULL DEFAULT false;
