import { Validator } from '@seriousme/openapi-schema-validator';
import { ERROR_CODES, SITE_OPERATIONS } from '@steward/contract';
import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ApiDescription, Operation } from '../../src/http/openapi/api-description.ts';

/** Files of the screens. They are no API. */
const PAGES = ['GET /*', 'GET /assets/*'];
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const MAX_BYTES = 1_000_000;

type Document = ApiDescription & { openapi: string; tags: { name: string }[] };

/**
 * Other tests compare the responses of their panels with this document: `checkResponses` in the testkit. The
 * conformance suite does the same for the endpoints of sites.
 */
describe('GET /openapi.json', () => {
  const panel = useTestPanel();
  let text = '';
  let document: Document;
  let operations: { name: string; rule: string | undefined; operation: Operation }[] = [];

  beforeAll(async () => {
    text = (await panel.app.inject('/openapi.json')).body;
    document = JSON.parse(text);
    operations = Object.entries(document.paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = item[method];
        const name = `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
        return operation ? [{ name, rule: panel.app.accessRules()[name], operation }] : [];
      }),
    );
  });

  it('is valid OpenAPI 3.1 and small enough to load in a browser', async () => {
    const validator = new Validator();
    expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true });
    expect(document.openapi).toBe('3.1.0');
    expect(text.length).toBeLessThan(MAX_BYTES);
  });

  it('contains every route of the panel and every endpoint of sites, and nothing else', () => {
    const routes = Object.keys(panel.app.accessRules()).filter(
      (route) => !route.startsWith('HEAD ') && !PAGES.includes(route),
    );
    const endpoints = Object.keys(SITE_OPERATIONS).map(
      (path) => `POST /cms-json/service/v1/${path}`,
    );
    expect(operations.map(({ name }) => name).sort()).toEqual([...routes, ...endpoints].sort());
  });

  it('has an id, a summary, a group, a success and errors for each operation', () => {
    const groups = document.tags.map(({ name }) => name);
    for (const { name, operation } of operations) {
      const { operationId, summary, tags, responses } = operation;
      expect([operationId, summary], name).toEqual([expect.any(String), expect.any(String)]);
      expect(groups, name).toEqual(expect.arrayContaining(tags));
      const statuses = Object.keys(responses);
      expect(statuses, name).toContain('200');
      expect(statuses, name).toContain('500');
      // Ranges such as 4XX would hide which errors exist.
      expect(
        statuses.filter((status) => !/^\d{3}$/.test(status)),
        name,
      ).toEqual([]);
    }
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted());
    expect(text).not.toContain('Default Response');
  });

  it('states the credentials and the confirmation that the access rule requires', () => {
    for (const { name, rule = '', operation } of operations) {
      const { security, 'x-error-codes': codes } = operation;
      const session = name.startsWith('GET ') ? { session: [] } : { session: [], csrfToken: [] };
      const token = panel.app.tokenRules()[name] === false ? [] : [{ accessToken: [] }];
      if (rule.startsWith('session')) expect(security, name).toEqual([session, ...token]);
      else expect(JSON.stringify(security), name).not.toContain('session');
      if (rule.includes(', confirmed')) expect(codes, name).toContain('confirmation_required');
    }
  });

  it('lists token_not_allowed where no token is accepted, and where some requests refuse tokens', () => {
    const tokenRules = panel.app.tokenRules();
    const refusing = operations.filter(({ operation }) =>
      operation['x-error-codes'].includes('token_not_allowed'),
    );
    const always = operations.filter(({ name }) => tokenRules[name] === false);
    const sometimes = ['POST /panel/sites/plugin-action', 'POST /panel/runs/:id/retry'];
    expect(refusing.map(({ name }) => name).sort()).toEqual(
      [...always.map(({ name }) => name), ...sometimes].sort(),
    );
  });

  it('resolves all references', () => {
    const names = new Set(text.match(/(?<="\$ref":"#\/components\/schemas\/)\w+/g));
    expect(names.size).toBeGreaterThan(50);
    expect(Object.keys(document.components.schemas as object).sort()).toEqual([...names].sort());
  });

  it('documents every error code of the contract that is a response', () => {
    const documented = new Set(operations.flatMap(({ operation }) => operation['x-error-codes']));
    const codes = Object.keys(ERROR_CODES).filter((code) => !documented.has(code));
    expect(codes).toEqual(CODES_IN_RESULTS);
  });

  it('gives files and streams their content types', () => {
    const contentTypes = operations.flatMap(({ name, operation }) => {
      const types = Object.keys(operation.responses[200]?.content ?? {});
      return types.includes('application/json') ? [] : [[name, types]];
    });
    const zip = ['application/zip'];
    expect(Object.fromEntries(contentTypes)).toEqual({
      'GET /api/v1/packages/:token': zip,
      'GET /api/v1/plugin/:code/steward.zip': zip,
      'GET /api/v1/plugin/package/:file': zip,
      'GET /panel/clients/:id/logo': ['image/png', 'image/jpeg', 'image/webp'],
      'GET /panel/plugin.zip': zip,
      'POST /panel/backups/:name/download': ['application/x-tar'],
      'POST /panel/sites/:id/login': ['text/html'],
      'GET /panel/audit/export': ['text/csv', 'application/jsonl'],
      'GET /panel/sites/export': ['text/csv'],
      'GET /panel/software/export': ['text/csv'],
      'GET /panel/runs/events': ['text/event-stream'],
      'GET /panel/runs/:id/events': ['text/event-stream'],
    });
  });
});

/** Only in the results of runs and of changes of tags: these failures concern one site, never the request. */
const CODES_IN_RESULTS = [
  'too_many_tags',
  'items_not_installed',
  'site_plugin_outdated',
  'signed_calls_required',
  'saved_version_missing',
  'already_installed',
  'site_unhealthy',
  'pages_not_checked',
  'pages_differ',
];
