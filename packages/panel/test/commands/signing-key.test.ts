import { steward as runSteward } from '@steward/testkit/panel/steward-command.ts';
import { newSiteUrl } from '@steward/testkit/panel/test-panel.ts';
import { expectFailure, useCommandLine } from '@steward/testkit/panel/use-command-line.ts';
import { expect, it } from 'vitest';

const withSiteKey = { capabilities: ['site_key', 'signed_calls'] };
const { env, steward, createLicense, activate, query } = useCommandLine();

it('steward signing-key replaces the key in two steps', async () => {
  expect((await steward('signing-key', 'retire')).stdout).toMatch(
    /There is no previous key to retire/,
  );
  const { stdout } = await steward('signing-key', 'rotate');
  expect(stdout).toMatch(/New public key: [\w+/]{43}=\n/);
  expectFailure(await steward('signing-key', 'rotate'), /Retire it first/);
  expect((await steward('signing-key', 'retire')).stdout).toMatch(/The previous key is retired/);
});

it('signing-key retire asks while connected sites may not have the new key', async () => {
  const { id, license_key } = await createLicense();
  const first = await activate(license_key, newSiteUrl(), withSiteKey);
  const second = await activate(license_key, newSiteUrl(), withSiteKey);
  // Calls to a site without a site key have no signature.
  await activate(license_key, newSiteUrl());
  await steward('signing-key', 'rotate');
  const refused = await steward('signing-key', 'retire');
  expectFailure(refused, /: 2 connected sites may not have the new key: .*add --yes\.\n$/);

  const checkIn = (siteId: number) =>
    query(
      `UPDATE license_activations SET last_check_at = now() + interval '1 minute' WHERE site_id = $1`,
      [siteId],
    );
  await checkIn(first.site_id);
  const declined = await runSteward(['signing-key', 'retire'], env, 'n\n', { isTTY: true });
  expect(declined.code).toBe(1);
  expect(declined.stdout).toMatch(/^1 connected site .* Retire the previous key\? \[y\/N\] /);
  expect(declined.stdout).toMatch(/The previous key was not retired\.\n$/);

  await checkIn(second.site_id);
  await steward('license', 'suspend', String(id));
  expectFailure(await steward('signing-key', 'retire'), /2 connected sites/);
  await steward('license', 'resume', String(id));
  const { code, stdout } = await steward('signing-key', 'retire');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^The previous key is retired\./)]);
});

it('signing-key retire --yes asks nothing', async () => {
  const { license_key } = await createLicense();
  await activate(license_key, newSiteUrl(), withSiteKey);
  await steward('signing-key', 'rotate');
  expectFailure(await steward('signing-key', 'retire'), /1 connected site may/);
  const { code, stdout } = await steward('signing-key', 'retire', '--yes');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^The previous key is retired\./)]);
});
