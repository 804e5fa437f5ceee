import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { expect, it } from 'vitest';
import { claimProbe, releaseProbe } from '../../src/features/licenses/probe-limits.repository.ts';

const panel = useTestPanel();

it('allows one probe of a site at a time, also if all limits have room', async () => {
  const limits = { total: 100, perAddress: 100 };
  const claim = (address: string) => {
    const probed = { site: 'shop.example.com', address, licenseId: 1 };
    return claimProbe(panel.db, probed, { all: limits, ofLicense: limits }, 30);
  };
  const addresses = Array.from({ length: 10 }, (_, index) => `192.0.2.${index}`);
  const [first, ...others] = (await Promise.all(addresses.map(claim))).filter((id) => id !== null);
  expect(others).toEqual([]);
  await releaseProbe(panel.db, first ?? 0);
  expect(await claim('192.0.2.1')).not.toBeNull();
});
