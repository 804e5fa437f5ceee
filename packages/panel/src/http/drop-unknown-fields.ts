import type { FastifyInstance } from 'fastify';

/**
 * Removes fields of a JSON body that the schema of its route does not name, so that no handler can store or use them: such
 * as `created_by` for an object whose columns come from the request. Clients may send fields of a newer version, so these
 * fields are no error. Nested objects keep theirs.
 */
export function dropUnknownFields(app: FastifyInstance): void {
  app.addHook('preHandler', (request, _reply, done) => {
    const schema = request.routeOptions.schema?.body as { properties?: object } | undefined;
    const body = request.body as Record<string, unknown> | null | undefined;
    if (schema?.properties && typeof body === 'object' && body !== null) {
      for (const name of Object.keys(body)) {
        if (!Object.hasOwn(schema.properties, name)) delete body[name];
      }
    }
    done();
  });
}
