import { describe, expect, it } from 'vitest';
import { describeMissingProof, type ItemProof, judgeProof } from './judge-proof.ts';

const SHOP = { type: 'plugin', slug: 'shop/shop.php', version: '8.3.0', name: 'Shop Kit' } as const;
const BLOG = { type: 'theme', slug: 'blog', version: '2.0' } as const;
const CORE = { type: 'core', slug: 'core', version: '6.5' } as const;

const proof = (given: Partial<ItemProof> = {}): ItemProof => ({
  ...{ needing: 4, installed: 0, proven: 0, isNeededLater: true, isExcepted: false },
  ...given,
});
const stops = (given: Partial<ItemProof>, percent = 0) =>
  judgeProof([SHOP], () => proof(given), { proof_percent: percent }).stopped.length > 0;

describe('an item', () => {
  it('moves on if one site of the ring proved it', () => {
    expect(stops({ installed: 3, proven: 1 })).toBe(false);
  });

  it('stops if no site installed it', () => {
    expect(stops({})).toBe(true);
  });

  it('stops if each site that installed it is troubled or was not verified', () => {
    expect(stops({ installed: 4, proven: 0 })).toBe(true);
  });

  it('passes the duty on if no site of the ring has an older version', () => {
    expect(stops({ needing: 0 })).toBe(false);
    expect(stops({ needing: 0 }, 100)).toBe(false);
  });

  it('does not stop if no later ring needs it', () => {
    expect(stops({ isNeededLater: false })).toBe(false);
  });

  it('does not stop if a user continued without proof', () => {
    expect(stops({ isExcepted: true })).toBe(false);
  });

  it.each([
    [50, 4, 2],
    [51, 4, 3],
    [100, 4, 4],
    [1, 4, 1],
    [7, 100, 7],
    [33.3, 3, 1],
  ])('needs the share that the plan names: %d %% of %d sites', (percent, needing, required) => {
    expect(stops({ needing, installed: needing, proven: required }, percent)).toBe(false);
    expect(stops({ needing, installed: needing, proven: required - 1 }, percent)).toBe(true);
  });

  it('is judged alone', () => {
    const judged = judgeProof(
      [SHOP, BLOG, CORE],
      (item) => proof(item === BLOG ? {} : { installed: 1, proven: 1 }),
      { proof_percent: 0 },
    );
    expect(judged.continuing).toEqual([SHOP, CORE]);
    expect(judged.stopped.map(({ item }) => item)).toEqual([BLOG]);
  });
});

describe('the reason of the halt', () => {
  const describeOf = (
    proofs: [typeof SHOP | typeof BLOG | typeof CORE, ItemProof][],
    percent = 0,
  ) =>
    describeMissingProof(
      'Canary',
      judgeProof(
        proofs.map(([item]) => item),
        (item) => proofs.find(([each]) => each === item)?.[1] ?? proof(),
        { proof_percent: percent },
      ).stopped,
    );

  it('names the items that no site installed', () => {
    expect(describeOf([[SHOP, proof()]])).toBe(
      'No site of the ring Canary installed Shop Kit 8.3.0.',
    );
    expect(
      describeOf([
        [SHOP, proof()],
        [BLOG, proof()],
        [CORE, proof()],
      ]),
    ).toBe('No site of the ring Canary installed Shop Kit 8.3.0, blog 2.0 and WordPress 6.5.');
  });

  it('says if sites installed an item without proof, or too few proved it', () => {
    expect(describeOf([[SHOP, proof({ installed: 1 })]])).toBe(
      'Sites of the ring Canary installed Shop Kit 8.3.0, but no site proves it: each one was not verified, is troubled or was restored.',
    );
    expect(describeOf([[SHOP, proof({ installed: 3, proven: 1 })]], 50)).toBe(
      '1 of 4 sites of the ring Canary proves Shop Kit 8.3.0. The plan needs 2.',
    );
  });
});
