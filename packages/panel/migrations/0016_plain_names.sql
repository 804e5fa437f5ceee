-- Columns are named after the terms in docs/glossary.md.
ALTER TABLE run_tasks RENAME COLUMN called_at TO dispatched_at;
ALTER TABLE sites RENAME COLUMN wanted_endpoint_url TO requested_endpoint_url;
