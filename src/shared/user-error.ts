/** An error of the user's making: its message alone says what is wrong and what to do. */
export class UserError extends Error {}
