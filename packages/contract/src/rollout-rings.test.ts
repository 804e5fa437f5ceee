import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignRings, DEFAULT_RINGS, type SiteForRing } from './rollout-rings.ts';

const sites = (count: number, site: (index: number) => Partial<SiteForRing> = () => ({})) =>
  Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    tags: [],
    server: null,
    ...site(index),
  }));

const idsIn = (rings: Map<number, number>, ring: number) =>
  [...rings].filter(([, position]) => position === ring).map(([id]) => id);

describe('assignRings', () => {
  it('puts tagged sites into the ring of the tag, whatever the case of the tag', () => {
    const fleet = sites(20, (index) => ({ tags: index < 2 ? ['Canary'] : ['shop'] }));
    const rings = assignRings(fleet, DEFAULT_RINGS);
    expect(idsIn(rings, 0)).toEqual([1, 2]);
    expect([idsIn(rings, 1).length, idsIn(rings, 2).length]).toEqual([2, 16]);
  });

  it('leaves the first ring empty if no site has its tag', () => {
    const rings = assignRings(sites(40), DEFAULT_RINGS);
    expect([0, 1, 2].map((ring) => idsIn(rings, ring).length)).toEqual([0, 4, 36]);
  });

  it('spreads the sites of one server over the rings', () => {
    const fleet = sites(100, (index) => ({ server: index < 90 ? 'big' : `small ${index}` }));
    const tenPercent = idsIn(assignRings(fleet, DEFAULT_RINGS), 1);
    expect(tenPercent.filter((id) => id <= 90)).toHaveLength(1);
    expect(tenPercent).toHaveLength(10);
  });

  it('assigns each site to exactly one ring, and the same one each time', () => {
    const site = fc.record({
      id: fc.integer({ min: 1 }),
      tags: fc.array(fc.constantFrom('canary', 'CANARY', 'shop')),
      server: fc.option(fc.constantFrom('a', 'b')),
    });
    const fleets = fc.uniqueArray(site, { selector: ({ id }) => id });
    fc.assert(
      fc.property(fleets, (fleet) => {
        const rings = assignRings(fleet, DEFAULT_RINGS);
        expect(new Set(rings.keys())).toEqual(new Set(fleet.map(({ id }) => id)));
        expect(assignRings(fleet.toReversed(), DEFAULT_RINGS)).toEqual(rings);
      }),
    );
  });
});
