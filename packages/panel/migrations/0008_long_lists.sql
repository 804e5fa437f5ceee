-- What is shown of a long list is found by an index, not by reading all of it.
CREATE INDEX license_activations_newest
  ON license_activations (license_id, activated_at DESC, site_id DESC);

-- The few that go on, among all there ever were.
CREATE INDEX runs_unfinished ON runs (id) WHERE finished_at IS NULL;
