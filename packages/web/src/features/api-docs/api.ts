import { queryOptions } from '@tanstack/react-query';
import { api } from '../../lib/api.ts';

/** The parts of an OpenAPI 3.1 document that the page shows. */
export type ApiSchema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  description?: string;
  properties?: Record<string, ApiSchema>;
  required?: string[];
  items?: ApiSchema;
  anyOf?: ApiSchema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
};

type Content = Record<string, { schema?: ApiSchema }>;

export type ApiParameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: ApiSchema;
};

export type ApiOperation = {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: ApiParameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
  security: Record<string, string[]>[];
};

export type ApiDescription = {
  info: { title: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, unknown>>;
  components: {
    schemas: Record<string, ApiSchema>;
    securitySchemes: Record<string, { description: string }>;
  };
};

export const apiDescriptionQuery = queryOptions({
  queryKey: ['api-description'],
  queryFn: ({ signal }) => api<ApiDescription>('/openapi.json', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});
