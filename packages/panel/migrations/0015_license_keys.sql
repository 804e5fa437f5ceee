-- To find out how often the seats of a license have moved lately. Its columns change only when a site
-- is opened or closed, so check-ins still rewrite their rows without touching an index.
CREATE INDEX license_activations_closed ON license_activations (license_id, deactivated_at)
  WHERE status = 'deactivated';
