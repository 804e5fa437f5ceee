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
  type Content = { content: Record<string, { schema: unknown }> };
  type Operation = {
    parameters?: { in: string; name: string; required: boolean; schema: unknown }[];
    requestBody?: Content;
    responses: Record<string, Content>;
  };
  const operationOf = (route: string): Operation | undefined => {
    const [method = '', path = ''] = route.split(' ');
    const paths = panel.app.swagger().paths as Record<string, Record<string, Operation>>;
    return paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  };
  const schemaOf = (content?: Content) => Object.values(content?.content ?? {})[0]?.schema;
  const toJson = (schema: unknown) => JSON.parse(JSON.stringify(schema));
  /** In OpenAPI, the parameter has the description, not its schema. */
  const withoutDescription = ({ description: _, ...schema }: { description?: string }) => schema;

  it.each(Object.entries(PANEL_ROUTES))('%s has the schemas of the panel', (route, schemas) => {
    const operation = operationOf(route);
    const { query, body, response }: { query?: TSchema; body?: TSchema; response: TSchema } =
      schemas;
    expect(schemaOf(operation?.responses['200'])).toEqual(toJson(response));
    expect(schemaOf(operation?.requestBody)).toEqual(body && toJson(body));
    const parameters = operation?.parameters?.filter((each) => each.in === 'query') ?? [];
    const properties = (query as { properties?: Record<string, object> })?.properties ?? {};
    expect(Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]))).toEqual(
      Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, toJson(withoutDescription(each))]),
      ),
    );
  });
});
