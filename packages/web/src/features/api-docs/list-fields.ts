import { apiDocsMessages } from '../../messages/api-docs.ts';
import type { ApiDescription, ApiSchema } from './api.ts';

export type Field = {
  path: string;
  type: string;
  limits: string;
  isRequired: boolean;
  description: string;
};

type Schemas = ApiDescription['components']['schemas'];

/** A schema that refers to itself would have endless fields. */
const MAX_DEPTH = 8;

/** Lists all fields of a schema with their paths, such as `results[].slug`. */
export function listFields(schema: ApiSchema, schemas: Schemas, path = '', depth = 0): Field[] {
  const { properties = {}, required = [], items } = resolve(schema, schemas);
  if (depth > MAX_DEPTH) return [];
  if (items) return listFields(items, schemas, `${path}[]`, depth + 1);
  return Object.entries(properties).flatMap(([name, child]) => {
    const childPath = path === '' ? name : `${path}.${name}`;
    const resolved = resolve(child, schemas);
    const field = {
      path: childPath,
      type: describeType(resolved, schemas),
      limits: describeLimits(resolved),
      isRequired: required.includes(name),
      description: child.description ?? resolved.description ?? '',
    };
    return [field, ...listFields(child, schemas, childPath, depth + 1)];
  });
}

export function describeType(schema: ApiSchema, schemas: Schemas): string {
  const { type, format, enum: values, items, anyOf } = resolve(schema, schemas);
  if (values) return apiDocsMessages.type.oneOf(values.map(String));
  if (anyOf) return anyOf.map((each) => describeType(each, schemas)).join(' | ');
  if (items && type === 'array') return apiDocsMessages.type.list(describeType(items, schemas));
  const name = [type ?? apiDocsMessages.type.any].flat().join(' | ');
  return format ? `${name} (${format})` : name;
}

export function describeLimits(schema: ApiSchema): string {
  const min = schema.minimum ?? schema.minLength ?? schema.minItems;
  const max = schema.maximum ?? schema.maxLength ?? schema.maxItems;
  return apiDocsMessages.limits(min, max === Number.MAX_SAFE_INTEGER ? undefined : max);
}

function resolve(schema: ApiSchema, schemas: Schemas): ApiSchema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (schemas[name] ?? {});
}
