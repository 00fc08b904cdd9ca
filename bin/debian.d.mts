export function findProgram(name: string): string | undefined;
export function installPackages(...packages: readonly string[]): void;
export function provideProgram(name: string, ...packages: readonly string[]): string | undefined;
export function endAfter(seconds: number, end: () => void): void;
export function apt(words: readonly string[], cwd?: string): void;
