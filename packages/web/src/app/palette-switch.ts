import { createSpotlight } from '@mantine/spotlight';

/** Apart from the palette itself, which is loaded later than the button that opens it. */
export const [paletteStore, palette] = createSpotlight();
export const openPalette = palette.open;
