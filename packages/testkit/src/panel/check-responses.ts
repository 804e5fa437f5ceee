import { type ApiDescription, buildApiDescription, type Operation } from '@steward/panel/program';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Schema from 'typebox/schema';
import { addUndocumentedResponse } from './undocumented-responses.ts';

/** All panels have the same routes, so the files of a worker share the description and its validators. */
let description: ApiDescription | undefined;
const validators = new Map<object, ReturnType<typeof Schema.Compile>>();

/** Compares each response of a panel with its API description: status, content type, error code and body. */
export function checkResponses(app: FastifyInstance): void {
  const bodies = new WeakMap<FastifyRequest, unknown>();
  // Serialisation would hide a wrong value: it turns null into an empty text.
  app.addHook('preSerialization', async (request, _reply, payload) => {
    bodies.set(request, JSON.parse(JSON.stringify(payload)));
    return payload;
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const isJson = String(reply.getHeader('content-type')).startsWith('application/json');
    if (isJson && typeof payload === 'string' && !bodies.has(request)) {
      bodies.set(request, JSON.parse(payload));
    }
    return payload;
  });
  app.addHook('onResponse', async (request, reply) => {
    description ??= buildApiDescription(app);
    const operation = findOperation(description, request);
    if (!operation) return;
    const body = bodies.get(request);
    for (const finding of compare(operation, request, reply, body)) {
      addUndocumentedResponse(
        `${request.method} ${request.routeOptions.url} ${reply.statusCode}: ${finding}`,
      );
    }
  });
}

/** Returns undefined for the pages, which the description leaves out. */
function findOperation({ paths }: ApiDescription, request: FastifyRequest): Operation | undefined {
  const { url = '' } = request.routeOptions;
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
  return paths[url.replaceAll(/:(\w+)/g, '{$1}')]?.[method];
}

function* compare(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  body: unknown,
): Generator<string> {
  const { statusCode } = reply;
  const { code } = (body ?? {}) as { code?: string };
  if (statusCode >= 400 && code && !operation['x-error-codes'].includes(code)) {
    return yield `The code ${code} is not documented.`;
  }
  const response = operation.responses[statusCode];
  if (!response) return yield 'The status is not documented.';
  if (statusCode < 300) yield* compareInput(operation, request);
  if (request.method === 'HEAD' || !response.content) return;
  const contentType = String(reply.getHeader('content-type')).split(';')[0] ?? '';
  const content = response.content[contentType];
  if (!content) return yield `The content type ${contentType} is not documented.`;
  if (body !== undefined) yield* validate(content.schema, body);
}

/** The panel ignores unknown parameters, so a successful request may use one that is not documented. */
function* compareInput({ parameters = [], requestBody }: Operation, request: FastifyRequest) {
  const documented = parameters.filter(({ in: place }) => place === 'query');
  for (const name of Object.keys(request.query as object)) {
    if (!documented.some((each) => each.name === name)) {
      yield `The parameter ${name} is not documented.`;
    }
  }
  // Some clients send an empty JSON object with every POST. It needs no description.
  const hasContent = Object.keys(request.body ?? {}).length > 0;
  if (hasContent && !requestBody) yield 'The body of the request is not documented.';
}

function* validate(schema: object, body: unknown): Generator<string> {
  let validator = validators.get(schema);
  if (!validator) {
    validator = Schema.Compile({ ...schema, components: description?.components });
    validators.set(schema, validator);
  }
  // Check is compiled; Errors interprets the schema, which takes much longer.
  if (validator.Check(body)) return;
  const [, errors] = validator.Errors(body);
  for (const { instancePath, message } of errors) yield `The body at "${instancePath}" ${message}.`;
}
