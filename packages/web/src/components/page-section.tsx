import { useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import type { SettingId } from '../lib/page-sections.ts';

/** A section of a page that has a link of its own, such as `/account#password`. */
export function PageSection({ id, children }: { id: SettingId; children: ReactNode }) {
  const section = useRef<HTMLElement>(null);
  const isLinked = useRouterState({ select: ({ location }) => location.hash === id });
  useEffect(() => {
    // Sections with data appear after the page, too late for the router.
    if (isLinked) section.current?.scrollIntoView();
  }, [isLinked]);
  return (
    <section id={id} ref={section}>
      {children}
    </section>
  );
}
