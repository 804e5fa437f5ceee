import { testLogger } from '@steward/testkit/logs.ts';
import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { recordCheckIns } from '../../src/features/licenses/checks.repository.ts';
import { openPool } from '../../src/platform/database/connect.ts';

/** Keeps the setting that a change of an activation was made with, for the session that made it. */
const KEEP_SETTING = `
  CREATE FUNCTION keep_commit_setting() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('test.commit_setting', current_setting('synchronous_commit'), false);
    RETURN NULL;
  END $$;
  CREATE TRIGGER keep_commit_setting AFTER UPDATE ON license_activations
    FOR EACH ROW EXECUTE FUNCTION keep_commit_setting()`;

describe('the statement of a batch of check-ins', () => {
  const panel = useTestPanel();

  it('commits without waiting for the disk, and leaves the session as it was', async () => {
    await panel.executeAsTableOwner(KEEP_SETTING);
    const { id, license_key } = await panel.license();
    const request = { license_key, site_url: newSiteUrl(), ...VERSIONS };
    await panel.post('/api/v1/license/activate', request);
    const { key_hash, canonical_url } = await panel.db
      .selectFrom('licenses as l')
      .innerJoin('sites as s', 's.license_id', 'l.id')
      .select(['l.key_hash', 's.canonical_url'])
      .where('l.id', '=', id)
      .executeTakeFirstOrThrow();
    const url = new URL(panel.databaseUrl);
    url.searchParams.set('options', '-c synchronous_commit=on');
    const { pool, close } = openPool({ connectionString: url.href }, testLogger(), { size: 1 });
    onTestFinished(close);

    const checkIn = {
      ...VERSIONS,
      key_hash: key_hash.toString('hex'),
      is_site_key: false,
      canonical_url,
      token_hash: null,
      environment: null,
    };
    const [row] = await recordCheckIns(pool, [checkIn], panel.fakes.now);
    expect(row).toMatchObject({ token_matches: true });
    const { rows } = await pool.query(
      `SELECT current_setting('test.commit_setting') AS during,
         current_setting('synchronous_commit') AS after`,
    );
    expect(rows).toEqual([{ during: 'off', after: 'on' }]);
  });
});
