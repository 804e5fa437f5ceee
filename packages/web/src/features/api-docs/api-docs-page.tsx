import { Anchor, Group, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { DebouncedSearch } from '../../components/debounced-search.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { apiDocsMessages } from '../../messages/api-docs.ts';
import { type ApiDescription, apiDescriptionQuery } from './api.ts';
import styles from './api-docs-page.module.css';
import { OperationList } from './components/operation-list.tsx';
import { Prose } from './components/prose.tsx';
import { groupOperations } from './group-operations.ts';

const route = getRouteApi('/docs');

/** The description of the API, for integrators. It needs no session. */
export function ApiDocsPage() {
  const { data, error, refetch } = useQuery(apiDescriptionQuery);
  return (
    <main className={styles.page}>
      <PageHeader
        title={apiDocsMessages.title}
        action={
          <>
            <Anchor href="/openapi.json">{apiDocsMessages.document}</Anchor>
            <TextLink to="/">{apiDocsMessages.openPanel}</TextLink>
          </>
        }
      />
      {error && <ErrorNote error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows rows={12} />}
      {data && <Operations description={data} />}
    </main>
  );
}

const listCredentials = ({ components }: ApiDescription) =>
  Object.entries(components.securitySchemes)
    .map(([name, scheme]) => `- \`${name}\`: ${scheme.description}`)
    .join('\n');

function Operations({ description }: { description: ApiDescription }) {
  const { search = '', operation } = route.useSearch();
  const navigate = route.useNavigate();
  const groups = groupOperations(description, search);
  const total = groups.reduce((sum, { operations }) => sum + operations.length, 0);
  return (
    <div className={styles.columns}>
      <nav aria-label={apiDocsMessages.groups} className={styles.groups}>
        {groups.map(({ id, name }) => (
          <Anchor key={id} href={`#${id}`} c="var(--mantine-color-text)">
            {name}
          </Anchor>
        ))}
      </nav>
      <div className={styles.operations}>
        <div className={styles.prose}>
          <Prose text={description.info.description} />
          <Title order={2}>{apiDocsMessages.credentials}</Title>
          <Prose text={listCredentials(description)} />
        </div>
        <Group gap="sm">
          <DebouncedSearch
            aria-label={apiDocsMessages.searchLabel}
            placeholder={apiDocsMessages.searchHint}
            value={search}
            w={280}
            onChange={(text) =>
              navigate({ search: (old) => ({ ...old, search: text }), replace: true })
            }
          />
          <span role="status">{apiDocsMessages.found(total)}</span>
        </Group>
        {total === 0 && (
          <EmptyState title={apiDocsMessages.empty.title}>
            {apiDocsMessages.empty.description}
          </EmptyState>
        )}
        {groups.map((group) => (
          <OperationList
            key={group.id}
            group={group}
            components={description.components}
            opened={operation}
            onOpen={(id) =>
              navigate({
                search: (old) => ({ ...old, operation: id }),
                replace: true,
                resetScroll: false,
              })
            }
          />
        ))}
      </div>
    </div>
  );
}
