import ORM

extension StrataQueries: FormatOperations {
  package func parse(_ times: Int) throws -> Int {
    let format = """
      score > %d AND score <= %d AND team IN %@ AND name BEGINSWITH %@ AND country != %@ \
      AND rating BETWEEN {%f, %f} AND isActive == YES AND note CONTAINS[c] %@ AND id > %ld \
      AND NOT team == nil
      """
    for number in 0..<times {
      let filter = try Filter<RankedPlayer>(
        format: format, number, number + 10, [1, 2, 3], "Player", "Peru", 0.25, 0.75, "note", 17)
      keep(filter)
    }
    return times
  }
}

/// Keeps the optimiser from dropping a value.
@inline(never)
private func keep<Value>(_ value: Value) {}
