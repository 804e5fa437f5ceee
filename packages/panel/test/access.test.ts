import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { requireStatedAccess } from '../src/plugins/access.ts';
import { useTestPanel } from './support/test-panel.ts';

/** Who may call what. A new route belongs here, with a reason to be open if it is. */
const ROUTES = {
  'POST /api/v1/license/validate': 'license_key',
  'POST /api/v1/license/activate': 'license_key',
  'POST /api/v1/license/deactivate': 'license_key',
  'POST /api/v1/license/check': 'license_key',
  'POST /api/v1/site/verify': 'license_key',
  'GET /api/v1/services': 'public',
  'HEAD /api/v1/services': 'public',
  'GET /healthz': 'public',
  'HEAD /healthz': 'public',
  'GET /readyz': 'public',
  'HEAD /readyz': 'public',
  'GET /openapi.json': 'public',
  'HEAD /openapi.json': 'public',
};

describe('access', () => {
  const panel = useTestPanel();

  it('is stated on every route as this list has it', () => {
    expect(panel.app.statedAccess()).toEqual(ROUTES);
  });

  it('stops the server from starting when a route does not state it', () => {
    const app = Fastify();
    requireStatedAccess(app);
    expect(() => app.get('/open', async () => 'hello')).toThrow('GET /open does not state');
  });
});
