import { dirname, join } from 'node:path';

/** Reads a file of the project; null if it does not exist. */
export type ReadPage = (path: string) => string | null;

/** Returns the relative links of a page whose file or heading does not exist. */
export function findBrokenLinks(page: string, read: ReadPage): string[] {
  const text = withoutCode(read(page) ?? '');
  return [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(
    ([, target, anchor]) => {
      const path = target ? join(dirname(page), target) : page;
      const content = read(path);
      const isFound = content !== null && (!anchor || listAnchors(content).includes(anchor));
      return isFound ? [] : [`${page}: ${path}${anchor ? `#${anchor}` : ''}`];
    },
  );
}

/** The anchors that GitHub gives to the headings of a page. A repeated heading gets a number. */
export function listAnchors(page: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/** A comment of a shell block is no heading, and an example in a block is no link. */
const withoutCode = (page: string) => page.replace(/^( *)```[\s\S]*?^\1```$/gm, '');
