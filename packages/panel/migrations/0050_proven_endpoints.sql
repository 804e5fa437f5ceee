-- The proof of a site with a site key belongs to one endpoint. The panel sends the key and calls nowhere else. Processes of
-- the version before do not store the endpoint, so a site that they prove needs another proof.
ALTER TABLE license_activations ADD COLUMN proven_endpoint_url text;

-- An endpoint that is not a standard one of its site. Replaces `endpoint_origin`, which approved a whole host and which only
-- the version before uses.
ALTER TABLE sites ADD COLUMN approved_endpoint_url text;

-- Without an endpoint of its own, a site was called at the default endpoint.
UPDATE license_activations a
SET proven_endpoint_url = coalesce(s.endpoint_url,
  CASE WHEN s.url ~* '^http:' THEN 'http://' ELSE 'https://' END
    || rtrim(regexp_replace(s.url, '^(https?:)?//', '', 'i'), '/') || '/cms-json/service/v1/')
FROM sites s
WHERE s.id = a.site_id AND a.proven_at IS NOT NULL AND a.site_key_hash IS NOT NULL;

-- Connected sites keep an endpoint that is proven, that an owner approved, or that gets the shared license key so far.
UPDATE sites s SET approved_endpoint_url = s.endpoint_url
FROM license_activations a
WHERE a.site_id = s.id AND s.endpoint_url <> ALL (ARRAY[
    rtrim(s.url, '/') || '/cms-json/service/v1/',
    rtrim(s.url, '/') || '/wp-json/service/v1/',
    rtrim(s.url, '/') || '/index.php/wp-json/service/v1/',
    rtrim(s.url, '/') || '/?rest_route=/service/v1/',
    rtrim(s.url, '/') || '/index.php?rest_route=/service/v1/'])
  AND (a.site_key_hash IS NULL OR a.proven_at IS NOT NULL OR starts_with(s.endpoint_url, s.endpoint_origin || '/'));
