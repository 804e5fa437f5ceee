import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import { renderScreen } from '../../../test/render-screen.tsx';

const ERROR = { description: '- `run_not_found`: There is no such run.' };

const DESCRIPTION = {
  info: { title: 'Steward', description: 'The API.\n\n- Names are in `snake_case`.' },
  tags: [
    { name: 'Site API', description: 'Endpoints of sites.' },
    { name: 'Runs', description: 'One request for sites.' },
  ],
  paths: {
    '/panel/runs/{id}': {
      get: {
        operationId: 'getRun',
        summary: 'Show a run',
        description: 'Requires the permission `sites.view`.',
        tags: ['Runs'],
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'status', in: 'query', schema: { type: 'string', enum: ['running', 'ended'] } },
        ],
        security: [{ session: [], csrfToken: [] }, { accessToken: [] }],
        responses: {
          200: {
            description: 'Success.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Run' } } },
          },
          404: ERROR,
        },
      },
    },
    '/cms-json/service/v1/remote/update': {
      servers: [],
      post: {
        operationId: 'updateSite',
        summary: 'Install updates',
        description: 'Requires a signature, but no key.',
        tags: ['Site API'],
        security: [],
        requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
        responses: { 200: { description: 'Success.' } },
      },
    },
  },
  components: {
    schemas: {
      Run: {
        type: 'object',
        required: ['results'],
        properties: {
          results: {
            type: 'array',
            minItems: 1,
            maxItems: 9,
            items: { $ref: '#/components/schemas/Task' },
          },
          finished_at: { type: ['string', 'null'], format: 'date-time' },
        },
      },
      Task: { type: 'object', properties: { slug: { type: 'string', description: 'The file.' } } },
    },
    securitySchemes: { session: { description: 'A cookie.' } },
  },
};

describe('ApiDocsPage', () => {
  it('shows all operations in their groups, without a session', async () => {
    const { panel } = renderScreen('/docs', {
      role: null,
      responses: { 'GET /openapi.json': DESCRIPTION },
    });
    await screen.findByRole('heading', { name: 'Runs' });
    screen.getByRole('button', { name: /POST.*remote\/update.*Install updates/ });
    screen.getByText('2 operations');
    screen.getByText(/A cookie/);
    expect(within(screen.getByRole('navigation')).getAllByRole('link')).toHaveLength(2);
    expect(panel.requests().map(({ path }) => path)).toEqual(['/openapi.json']);
    await expectAccessible('API');
  });

  it('shows an operation with its parameters, fields and errors, and keeps it in the URL', async () => {
    const { user, address } = renderScreen('/docs', {
      role: null,
      responses: { 'GET /openapi.json': DESCRIPTION },
    });
    await user.click(await screen.findByRole('button', { name: /Show a run/ }));
    expect(address()).toBe('/docs?operation=getRun');
    screen.getByText('session and csrfToken or accessToken');
    const parameters = within(screen.getByRole('table', { name: 'Parameters' }));
    parameters.getByText('one of: running, ended, in query');
    const fields = within(screen.getByRole('table', { name: '200' }));
    fields.getByText('list of object');
    fields.getByText('Required, min. 1, max. 9');
    fields.getByText('results[].slug');
    fields.getByText('string | null (date-time)');
    expect(screen.getByRole('region', { name: '404' }).textContent).toContain('run_not_found');
    await expectAccessible('an operation of the API');
    await user.click(screen.getByRole('button', { name: /Show a run/ }));
    expect(address()).toBe('/docs');
  });

  it('refers to the description for a key in the body or a signature', async () => {
    const { user } = renderScreen('/docs', {
      role: null,
      responses: { 'GET /openapi.json': DESCRIPTION },
    });
    await user.click(await screen.findByRole('button', { name: /Install updates/ }));
    screen.getByText('Requires a signature, but no key.');
    screen.getByText('No session, access token or service key. See the description above.');
  });

  it('finds operations, and explains that there are none', async () => {
    const { user, address } = renderScreen('/docs?search=install', {
      role: null,
      responses: { 'GET /openapi.json': DESCRIPTION },
    });
    await screen.findByText('1 operation');
    expect(screen.queryByRole('heading', { name: 'Runs' })).toBeNull();
    await user.type(screen.getByRole('textbox', { name: 'Search operations' }), ' nothing');
    await screen.findByRole('heading', { name: 'No operations found' });
    expect(address()).toBe('/docs?search=install+nothing');
  });

  it('shows an error and loads again', async () => {
    const { user, panel } = renderScreen('/docs', {
      role: null,
      responses: { 'GET /openapi.json': errorResponse('invalid_request') },
    });
    const retry = await screen.findByRole('button', { name: 'Retry' });
    panel.setResponses({ 'GET /openapi.json': DESCRIPTION });
    await user.click(retry);
    await screen.findByRole('heading', { name: 'Runs' });
  });
});
