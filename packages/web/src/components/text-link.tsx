import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

type AnchorParts = Omit<ComponentProps<'a'>, keyof AnchorProps> & AnchorProps;
type ButtonParts = Omit<ComponentProps<'a'>, keyof ButtonProps> & ButtonProps;

/** A link to another page, in running text or a table; it knows the pages and their parameters. */
export const TextLink = createLink((props: AnchorParts) => <Anchor {...props} />);

/** The same in the looks of a button. */
export const LinkButton = createLink((props: ButtonParts) => <Button component="a" {...props} />);
