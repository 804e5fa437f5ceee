import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import type { TSchema } from 'typebox';
import { describe, expect, it } from 'vitest';
import { PANEL_ROUTES } from '../../../web/test/panel-routes.ts';

/**
 * Component tests of the screens replace the panel with a fake that validates its responses against these
 * schemas. So they must equal the schemas of the panel.
 */
describe('the routes of component tests', () => {
  const panel = useTestPanel();
  type Json = { content: { 'application/json': { schema: unknown } } };
  type Operation = {
    parameters?: { in: string; name: string; required: boolean; schema: unknown }[];
    requestBody?: Json;
    responses: Record<string, Json>;
  };
  const operationOf = (route: string): Operation | undefined => {
    const [method = '', path = ''] = route.split(' ');
    const paths = panel.app.swagger().paths as Record<string, Record<string, Operation>>;
    return paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  };
  /** Converts to OpenAPI 3.0, which has no type lists. Parameters carry the description themselves. */
  const toOpenApi = (schema: unknown) =>
    JSON.parse(JSON.stringify(schema), (_, value) =>
      Array.isArray(value?.type) ? { ...value, type: value.type[0], nullable: true } : value,
    );
  const withoutDescription = ({ description: _, ...schema }: { description?: string }) => schema;

  it.each(Object.entries(PANEL_ROUTES))('%s has the schemas of the panel', (route, schemas) => {
    const operation = operationOf(route);
    const { query, body, response }: { query?: TSchema; body?: TSchema; response: TSchema } =
      schemas;
    expect(operation?.responses['200']?.content['application/json'].schema).toEqual(
      toOpenApi(response),
    );
    expect(operation?.requestBody?.content['application/json'].schema).toEqual(
      body && toOpenApi(body),
    );
    const parameters = operation?.parameters?.filter((each) => each.in === 'query') ?? [];
    const properties = (query as { properties?: Record<string, object> })?.properties ?? {};
    expect(Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]))).toEqual(
      Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [
          name,
          toOpenApi(withoutDescription(each)),
        ]),
      ),
    );
  });
});
