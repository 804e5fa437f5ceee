import { createSpotlight } from '@mantine/spotlight';

/** In its own module, so that the button that opens the palette does not load the palette's code. */
export const [paletteStore, palette] = createSpotlight();
export const openPalette = palette.open;
