import * as contract from '@steward/contract';

export type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const isObjectSchema = (value: unknown): value is Json =>
  isObject(value) && value.type === 'object' && isObject(value.properties);

/** The named object schemas of the contract, by their JSON. Of two equal schemas, the first name counts. */
function listNamedSchemas(): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, value] of Object.entries(contract)) {
    const key = isObjectSchema(value) && JSON.stringify(value);
    if (key && !names.has(key)) names.set(key, name);
  }
  return names;
}

/**
 * Replaces each schema that the contract names with a reference, so that it occurs once in the document. The contract
 * itself has no references, because WordPress cannot read them.
 */
export function shareSchemas(paths: Json): { paths: Json; schemas: Json } {
  const names = listNamedSchemas();
  const schemas: Json = {};

  function share(value: unknown): unknown {
    if (!isObject(value)) return value;
    const name = isObjectSchema(value) ? names.get(JSON.stringify(value)) : undefined;
    if (name === undefined) return shareChildren(value);
    schemas[name] ??= shareChildren(value);
    return { $ref: `#/components/schemas/${name}` };
  }

  function shareChildren(value: Json): unknown {
    if (Array.isArray(value)) return value.map(share);
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, share(child)]));
  }

  return { paths: shareChildren(paths) as Json, schemas };
}
