import { Text, Title } from '@mantine/core';
import { apiDocsMessages } from '../../../messages/api-docs.ts';
import type { ApiDescription, ApiParameter, ApiSchema } from '../api.ts';
import type { LocatedOperation } from '../group-operations.ts';
import { describeLimits, describeType, type Field, listFields } from '../list-fields.ts';
import { FieldTable } from './field-table.tsx';
import { InlineText, Prose } from './prose.tsx';

const messages = apiDocsMessages.operation;

type Props = { operation: LocatedOperation; components: ApiDescription['components'] };

export function OperationDetails({ operation, components }: Props) {
  const { description, parameters = [], requestBody, responses, security } = operation;
  const { schemas } = components;
  return (
    <>
      {description && <Prose text={description} />}
      <Title order={4}>{messages.authentication}</Title>
      <Text>{describeSecurity(security)}</Text>
      {parameters.length > 0 && (
        <>
          <Title order={4}>{messages.parameters}</Title>
          <FieldTable
            label={messages.parameters}
            fields={parameters.map((each) => toField(each, schemas))}
          />
        </>
      )}
      {requestBody && (
        <>
          <Title order={4}>{requestBody.required ? messages.body : messages.optionalBody}</Title>
          <ContentTable label={messages.body} content={requestBody.content} schemas={schemas} />
        </>
      )}
      <Title order={4}>{messages.responses}</Title>
      {Object.entries(responses).map(([status, response]) => (
        <section key={status} aria-label={status}>
          <Text fw={600}>{status}</Text>
          <Prose text={response.description} />
          {showsBody(status) && response.content && (
            <ContentTable label={status} content={response.content} schemas={schemas} />
          )}
        </section>
      ))}
    </>
  );
}

/** Only 200: the introduction describes the common fields of errors, and a 202 has the same body as the 200. */
const showsBody = (status: string) => status === '200';

type ContentProps = {
  label: string;
  content: Record<string, { schema?: ApiSchema }>;
  schemas: ApiDescription['components']['schemas'];
};

function ContentTable({ label, content, schemas }: ContentProps) {
  return Object.entries(content).map(([type, { schema = {} }]) => (
    <div key={type}>
      <Text size="xs" c="dimmed">
        <InlineText text={messages.contentType(type)} />
      </Text>
      <FieldTable label={label} fields={listFields(schema, schemas)} />
    </div>
  ));
}

function toField(parameter: ApiParameter, schemas: ContentProps['schemas']): Field {
  const { name, in: place, required = false, description = '', schema = {} } = parameter;
  const type = `${describeType(schema, schemas)}, ${apiDocsMessages.location(place)}`;
  return {
    path: name,
    type,
    limits: describeLimits(schema),
    isRequired: required,
    description,
  };
}

/** For example "session and csrfToken or accessToken". */
function describeSecurity(security: LocatedOperation['security']): string {
  if (security.length === 0) return messages.noCredentials;
  return security.map((each) => Object.keys(each).join(messages.and)).join(messages.or);
}
