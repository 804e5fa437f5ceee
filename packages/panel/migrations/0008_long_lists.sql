-- Finds the newest activations of a license without reading all of them.
CREATE INDEX license_activations_newest
  ON license_activations (license_id, activated_at DESC, site_id DESC);

-- Finds the unfinished runs among all runs.
CREATE INDEX runs_unfinished ON runs (id) WHERE finished_at IS NULL;
