import { setTimeout as sleep } from 'node:timers/promises';
import { testLogger } from '@steward/testkit/logs.ts';
import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { expect, it } from 'vitest';
import { createProbeClient } from '../../src/features/licenses/index.ts';

/** One license whose sites never respond, next to sites of another license. */
const panel = useTestPanel();
const WAIT_MS = 2000;
const [HOSTILE, HONEST] = [1, 2];

const neverCalled = async () => {
  throw new Error('This test only probes.');
};

type Limits = { total: number; perAddress: number };

function openClient(addressOf: (host: string) => string, limits: Limits) {
  return createProbeClient({
    ...{ db: panel.db, log: testLogger(), limits, waitMs: WAIT_MS },
    lookup: async (host) => [{ address: addressOf(host), family: 4 }],
    siteClient: {
      probe: async ({ siteUrl }) => {
        if (siteUrl.includes('hostile')) await sleep(WAIT_MS);
        return { reachable: true };
      },
      requestProof: neverCalled,
      listLoginUsers: neverCalled,
      createLogin: neverCalled,
    },
  });
}

/** Probes six sites one after the other, while the hostile sites use what they can get. */
async function probeDuringAttack(client: ReturnType<typeof openClient>, hostileSites: number) {
  let isOver = false;
  const attackers = Array.from({ length: hostileSites }, async (_, n) => {
    const siteUrl = `https://dev${n}.hostile.example.org:8999`;
    while (!isOver) await client.probe({ siteUrl, endpointUrl: null, licenseId: HOSTILE });
  });
  const results = [];
  for (let n = 0; n < 6; n++) {
    const siteUrl = `https://shop${n}.example.net`;
    results.push(await client.probe({ siteUrl, endpointUrl: null, licenseId: HONEST }));
  }
  isOver = true;
  await Promise.all(attackers);
  return results.filter((result) => result?.reachable).length;
}

it('leaves a call to other licenses at an address that one license uses', async () => {
  const client = openClient(() => '203.0.113.1', { total: 50, perAddress: 2 });
  expect(await probeDuringAttack(client, 12)).toBe(6);
});

it('leaves half of all calls to other licenses', async () => {
  const addressOf = (host: string) => (host.includes('hostile') ? host : '203.0.113.1');
  const client = openClient(addressOf, { total: 6, perAddress: 2 });
  expect(await probeDuringAttack(client, 20)).toBe(6);
});
