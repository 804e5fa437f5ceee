import { count } from '../lib/format.ts';

export const apiDocsMessages = {
  title: 'API',
  openPanel: 'Open the panel',
  document: 'OpenAPI document',
  searchLabel: 'Search operations',
  searchHint: 'Path, name or group',
  groups: 'Groups',
  found: (operations: number) => count(operations, 'operation'),
  empty: {
    title: 'No operations found',
    description: 'Try a shorter search.',
  },
  operation: {
    authentication: 'Authentication',
    /** OpenAPI cannot describe a key in the body or a signature. The description of the operation names them. */
    noCredentials: 'No session, access token or service key. See the description above.',
    or: ' or ',
    and: ' and ',
    parameters: 'Parameters',
    body: 'Request body',
    optionalBody: 'Request body (optional)',
    responses: 'Responses',
    contentType: (type: string) => `Content type: ${type}`,
  },
  columns: { field: 'Field', type: 'Type', description: 'Description' },
  credentials: 'Credentials',
  required: 'Required',
  limits: (min?: number, max?: number) =>
    [min === undefined ? [] : `min. ${min}`, max === undefined ? [] : `max. ${max}`]
      .flat()
      .join(', '),
  location: (place: string) => `in ${place}`,
  type: {
    any: 'any',
    oneOf: (values: string[]) => `one of: ${values.join(', ')}`,
    list: (type: string) => `list of ${type}`,
  },
} as const;
