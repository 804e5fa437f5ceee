import { describe, expect, it } from 'vitest';
import { toAddressGroup } from './address-group.ts';

describe('toAddressGroup', () => {
  for (const [address, group] of [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['::1', '::/64'],
    ['::', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
  ] as const) {
    it(`maps ${address} to ${group}`, () => expect(toAddressGroup(address)).toBe(group));
  }
});
