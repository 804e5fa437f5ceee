import { createSpotlight, useSpotlight } from '@mantine/spotlight';
import { useState } from 'react';

/** In its own module, so that the button that opens the palette does not load the palette's code. */
export const [paletteStore, palette] = createSpotlight();
export const openPalette = palette.open;

/** True from the first time that the user opens the palette. */
export function useIsPaletteUsed(): boolean {
  const { opened } = useSpotlight(paletteStore);
  const [isUsed, setUsed] = useState(opened);
  if (opened && !isUsed) setUsed(true);
  return isUsed;
}
