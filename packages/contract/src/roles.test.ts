import { describe, expect, it } from 'vitest';
import { PERMISSIONS, ROLES, roleMay } from './index.ts';

describe('roleMay', () => {
  const MATRIX = {
    owner: ['account', 'sites.view', 'sites.act', 'owner'],
    manager: ['account', 'sites.view', 'sites.act'],
    viewer: ['account', 'sites.view'],
  };
  for (const role of ROLES) {
    it(`gives a ${role} exactly ${MATRIX[role].join(', ')}`, () => {
      expect(PERMISSIONS.filter((permission) => roleMay(role, permission))).toEqual(MATRIX[role]);
    });
  }
});
