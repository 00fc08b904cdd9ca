/** Ids of columns. They are counted from 1 in one query, so that a list of marks is smaller and faster than a Set. */
export class ColumnSet {
  private readonly marks: boolean[] = [];

  has(id: number): boolean {
    return this.marks[id] === true;
  }

  add(id: number): void {
    this.marks[id] = true;
  }
}
