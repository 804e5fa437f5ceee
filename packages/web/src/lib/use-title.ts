import { useEffect } from 'react';

/** The title of the browser's tab, for as long as a page is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Steward' : `${title} · Steward`;
  }, [title]);
}
