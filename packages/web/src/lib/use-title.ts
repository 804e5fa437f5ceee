import { useEffect } from 'react';
import { commonMessages } from '../messages/common.ts';

/** Sets the title of the browser tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = commonMessages.tabTitle(title);
  }, [title]);
}
