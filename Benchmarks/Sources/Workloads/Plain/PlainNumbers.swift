/// Rows of ten integers in an array.
package final class PlainNumbers: NumberOperations {
  private var rows: [NumberData] = []

  package init() {}

  package func fill(_ numbers: [NumberData]) { rows = numbers }

  package func scanNumbers() -> Int {
    var numbers: [NumberData] = []
    for row in rows { numbers.append(row) }
    return numbers.checksum
  }
}
