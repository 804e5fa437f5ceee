import { createSpotlight } from '@mantine/spotlight';

/** Separate from the palette, so that the button that opens it does not load it. */
export const [paletteStore, palette] = createSpotlight();
export const openPalette = palette.open;
