import type { ApiDescription, ApiOperation } from './api.ts';

export type LocatedOperation = ApiOperation & { method: string; path: string };
export type OperationGroup = {
  /** For links to the group. */
  id: string;
  name: string;
  description: string;
  operations: LocatedOperation[];
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Groups the operations that contain all words of `search` by their tag, in the order of the tags. */
export function groupOperations({ tags, paths }: ApiDescription, search: string): OperationGroup[] {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => ({
      ...(item[method] as ApiOperation),
      method: method.toUpperCase(),
      path,
    })),
  );
  const words = search.toLowerCase().split(/\s+/);
  const found = operations.filter((operation) => containsAll(operation, words));
  return tags
    .map((tag) => ({
      ...tag,
      id: tag.name.toLowerCase().replaceAll(' ', '-'),
      operations: found.filter(({ tags: [first] }) => first === tag.name),
    }))
    .filter((group) => group.operations.length > 0);
}

function containsAll(operation: LocatedOperation, words: string[]): boolean {
  const { method, path, summary, operationId, tags } = operation;
  const text = [method, path, summary, operationId, ...tags].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}
