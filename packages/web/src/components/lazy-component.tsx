import { type ComponentType, lazy, Suspense } from 'react';

/**
 * Loads a component when it first renders, for dialogs and other parts that appear after an action of the user. If this
 * fails, the page reloads: an upgrade of the panel may have removed the file.
 */
export function lazyComponent<Name extends string, Props extends object>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
): ComponentType<Props> {
  const Loaded = lazy<ComponentType<Props>>(async () => {
    const parts = await load().catch(reloadPage);
    return { default: parts[name] };
  });
  return (props) => (
    <Suspense fallback={null}>
      <Loaded {...props} />
    </Suspense>
  );
}

function reloadPage(): Promise<never> {
  window.location.reload();
  return new Promise(() => {});
}
