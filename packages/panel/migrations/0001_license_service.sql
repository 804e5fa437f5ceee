-- The license service: plans, licenses, the sites they are active on, and the audit log.

CREATE TABLE panel_settings (
  name  text PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE services (
  slug        text PRIMARY KEY CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  name        text NOT NULL,
  description text NOT NULL,
  version     text NOT NULL,
  category    text NOT NULL
);

INSERT INTO services (slug, name, description, version, category) VALUES
  ('remote', 'Remote management',
   'Update plugins, themes and core from the panel, and switch plugins on and off.',
   '1.0.0', 'management');

CREATE TABLE plans (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug       text NOT NULL UNIQUE,
  name       text NOT NULL,
  services   text[] NOT NULL,
  site_limit integer CHECK (site_limit >= 1), -- the default of its licenses; null: unlimited
  created_at timestamptz NOT NULL
);

CREATE TABLE licenses (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  plan_id       bigint NOT NULL REFERENCES plans,
  key_hash      bytea NOT NULL UNIQUE,
  key_encrypted bytea NOT NULL,
  key_last_six  text NOT NULL,
  services      text[], -- null: the services of the plan
  site_limit    integer CHECK (site_limit >= 1), -- null: unlimited
  status        text NOT NULL CHECK (status IN ('active', 'suspended', 'revoked')),
  expires_at    timestamptz,
  created_at    timestamptz NOT NULL
);

CREATE INDEX licenses_by_plan ON licenses (plan_id);

-- A site belongs to the license that activated it. The license key is the only proof of identity, so a client with one
-- key must not be able to change the sites of another key.
CREATE TABLE sites (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  license_id    bigint NOT NULL REFERENCES licenses,
  url           text NOT NULL,
  canonical_url text NOT NULL,
  endpoint_url  text,
  inventory     jsonb,
  inventory_at  timestamptz,
  created_at    timestamptz NOT NULL,
  UNIQUE (license_id, canonical_url),
  UNIQUE (id, license_id)
);

-- A check-in updates its row in the free space of the page, without writing an index.
CREATE TABLE license_activations (
  site_id               bigint PRIMARY KEY,
  license_id            bigint NOT NULL,
  status                text NOT NULL CHECK (status IN ('active', 'deactivated')),
  counted               boolean NOT NULL,
  environment           text NOT NULL CHECK (environment IN ('production', 'staging', 'development', 'local')),
  cms_version           text NOT NULL,
  php_version           text NOT NULL,
  plugin_version        text NOT NULL,
  license_key_encrypted bytea NOT NULL, -- for calls to the site
  token_hash            bytea NOT NULL,
  token_encrypted       bytea NOT NULL,
  activated_at          timestamptz NOT NULL,
  deactivated_at        timestamptz,
  last_check_at         timestamptz,
  FOREIGN KEY (site_id, license_id) REFERENCES sites (id, license_id)
) WITH (fillfactor = 70);

CREATE INDEX license_activations_in_use ON license_activations (license_id, counted)
  WHERE status = 'active';

CREATE TABLE audit_log (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at          timestamptz NOT NULL,
  actor       text NOT NULL,
  action      text NOT NULL,
  entity_type text NOT NULL,
  entity_id   text NOT NULL,
  site_id     bigint, -- no foreign key: a record outlives its site
  context     jsonb NOT NULL,
  ip          text,
  request_id  text
);

CREATE INDEX audit_log_by_site ON audit_log (site_id, id) WHERE site_id IS NOT NULL;
CREATE INDEX audit_log_by_entity ON audit_log (entity_type, entity_id, id);

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_log is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER audit_log_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
