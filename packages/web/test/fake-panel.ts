import {
  ERROR_CODES,
  ErrorBody,
  type ErrorCode,
  type UpdateSummaryRequest,
} from '@steward/contract';
import type { Static, TSchema } from 'typebox';
import Schema from 'typebox/schema';
import { PANEL_ROUTES, type PanelRoute } from './panel-routes.ts';
import { updateSummary } from './update-summary.ts';

/** A request of a screen, as the panel receives it. */
export type PanelRequest = {
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
};

class ErrorResponse {
  readonly status: number;
  readonly body: Static<typeof ErrorBody>;
  constructor(status: number, body: Static<typeof ErrorBody>) {
    this.status = status;
    this.body = body;
  }
}

/** An error response, with the message and the status of its code in the contract. */
export function errorResponse(
  code: ErrorCode,
  overrides: { error?: string; [name: string]: unknown } = {},
) {
  const { status, message } = ERROR_CODES[code];
  return new ErrorResponse(status, { success: false, code, error: message, ...overrides });
}

/** An error response whose code is not in the contract, for example from a proxy. */
export const unknownErrorResponse = (status: number, code: string, error: string) =>
  new ErrorResponse(status, { success: false, code, error });

type Body<Name extends PanelRoute> = Static<(typeof PANEL_ROUTES)[Name]['response']>;
type PanelResponse<Name extends PanelRoute> = Body<Name> | ErrorResponse;
/** The response for each route, or a function that returns it for a request. */
export type PanelResponses = {
  [Name in PanelRoute]?:
    | PanelResponse<Name>
    | ((request: PanelRequest) => PanelResponse<Name> | Promise<PanelResponse<Name>>);
};

/**
 * A fake panel behind `fetch`. Each response must match the response schema of its route, and each accepted request the
 * request schemas, so that fixtures cannot drift from the API.
 */
export function createFakePanel(initialResponses: PanelResponses) {
  let responses = initialResponses;
  const requests: PanelRequest[] = [];
  const failures: string[] = [];

  async function respond(input: unknown, init: RequestInit = {}): Promise<Response> {
    const url = new URL(String(input), location.origin);
    const method = init.method ?? 'GET';
    const name = `${method} ${url.pathname}`;
    const request: PanelRequest = {
      method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
    };
    requests.push(request);
    const route = findRoute(name);
    const configured = route && (responses[route] ?? DEFAULTS[route]);
    if (!route || configured === undefined) {
      return fail(`The test has no response for ${name}${url.search}`);
    }
    const result = typeof configured === 'function' ? await configured(request) : configured;
    init.signal?.throwIfAborted();
    if (result instanceof ErrorResponse) {
      expectConforms(`the error response to ${name}`, ErrorBody, result.body);
      return Response.json(result.body, { status: result.status });
    }
    const { query, body, response }: { query?: TSchema; body?: TSchema; response: TSchema } =
      PANEL_ROUTES[route];
    if (query) expectConforms(`the query of ${name}`, query, request.query);
    if (body) expectConforms(`the body of ${name}`, body, request.body);
    expectConforms(`the response to ${name}`, disallowOtherProperties(response), result);
    return Response.json(result);
  }

  function expectConforms(subject: string, schema: TSchema, value: unknown): void {
    const [isValid, errors] = Schema.Errors(schema, value);
    if (isValid) return;
    const list = errors.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
    fail(`The contract does not allow ${subject}: ${list.join('; ')}`);
  }

  /** Stores the message too, because a screen may catch the error of its request. */
  function fail(message: string): never {
    failures.push(message);
    throw new Error(message);
  }

  return {
    respond,
    failures,
    /** Returns all requests since the start of the test, or only the requests of one route. */
    requests: (route?: PanelRoute) =>
      requests.filter(({ method, path }) => !route || findRoute(`${method} ${path}`) === route),
    /** Replaces the responses of these routes. */
    setResponses(changed: PanelResponses) {
      responses = { ...responses, ...changed };
    },
  };
}

/**
 * Many screens request these in addition to their own data: a preflight that predicts no failure, no clients, and the counts
 * of an update, which each requested site has.
 */
const DEFAULTS: PanelResponses = {
  'GET /panel/clients': { success: true, clients: [] },
  'POST /panel/sites/update-summary': ({ body }) => {
    const { site_ids = [1] } = body as UpdateSummaryRequest;
    return updateSummary({ sites: site_ids.length, updates: site_ids.length });
  },
  'POST /panel/sites/preflight': {
    success: true,
    preflight: {
      groups: [],
      warnings: [],
      certain_site_ids: [],
      without_backup: { count: 0, sites: [] },
      unchecked: { count: 0, sites: [] },
      checked: 0,
      not_found: 0,
    },
  },
};

const PATTERNS = (Object.keys(PANEL_ROUTES) as PanelRoute[])
  // Routes with fewer parameters come first: a fixed segment wins over a parameter.
  .toSorted((a, b) => a.split(':').length - b.split(':').length)
  .map((name) => ({ name, pattern: new RegExp(`^${name.replaceAll(/:\w+/g, '[^/]+')}$`) }));

const findRoute = (request: string): PanelRoute | undefined =>
  PATTERNS.find(({ pattern }) => pattern.test(request))?.name;

/** The panel serialises only the properties of its schema, so a fixture must not have others. */
function disallowOtherProperties(schema: TSchema): TSchema {
  const cached = schemasWithoutOtherProperties.get(schema);
  if (cached) return cached;
  const { properties, items } = schema as { properties?: object; items?: TSchema };
  const result = {
    ...schema,
    ...(properties && {
      additionalProperties: false,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, child]) => [name, disallowOtherProperties(child)]),
      ),
    }),
    ...(items && { items: disallowOtherProperties(items) }),
  } as TSchema;
  schemasWithoutOtherProperties.set(schema, result);
  return result;
}
const schemasWithoutOtherProperties = new WeakMap<TSchema, TSchema>();
