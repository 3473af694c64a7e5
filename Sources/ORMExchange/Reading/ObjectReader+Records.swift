internal import ORM

extension ObjectReader {
  /// Calls a closure with a scanner at each record of a text, and checks the rest of the text.
  ///
  /// - Throws: `invalidImport` for text that is not JSON, a path that leads nowhere, and the faults
  ///   of a record.
  func forEachRecord(
    in bytes: UnsafeRawBufferPointer, at path: String,
    _ body: (inout JSONScanner, _ depth: Int, _ name: String?) throws -> Void
  ) throws {
    var scanner = JSONScanner(bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { scanner.position = 3 }
    var steps: [PathStep] = []
    if !path.isEmpty {
      guard let known = JSONKeyPath.steps(of: path) else {
        throw StoreError(
          .invalidImport, "'\(path)' is not a path into JSON", entity: plan.entity,
          rule: ImportFault.records.rawValue)
      }
      steps = known
    }
    let isFound = try enter(steps[...], &scanner, 0) { scanner, depth in
      try records(&scanner, depth, body)
    }
    scanner.skipSpace()
    guard scanner.isAtEnd else { throw reading.broken("text after the end", scanner) }
    if !isFound {
      throw StoreError(
        .invalidImport, "there is nothing at \(path)", entity: plan.entity,
        rule: ImportFault.records.rawValue)
    }
  }

  /// Moves the scanner along a path, past everything beside it; false if the path leads nowhere.
  private func enter(
    _ path: ArraySlice<PathStep>, _ scanner: inout JSONScanner, _ depth: Int,
    _ body: (inout JSONScanner, _ depth: Int) throws -> Void
  ) throws -> Bool {
    scanner.skipSpace()
    guard let step = path.first, !(path.count == 1 && step == .each) else {
      try body(&scanner, depth)
      return true
    }
    let rest = path.dropFirst()
    var isFound = false
    switch (step, scanner.next) {
    case (.name(let name), UInt8(ascii: "{")):
      try reading.forEachMember(&scanner, depth: depth) { member, scanner in
        guard member.hasSameScalars(as: name) else {
          return try reading.skip(&scanner, depth: depth + 1)
        }
        // The records of the first were handed on already.
        if isFound { throw reading.broken("a member on the path comes twice", scanner) }
        isFound = try enter(rest, &scanner, depth + 1, body)
      }
    case (.index, UInt8(ascii: "[")), (.each, UInt8(ascii: "[")):
      var index = 0
      try reading.forEachElement(&scanner, depth: depth) { scanner in
        defer { index += 1 }
        guard step == .each || step == .index(index) else {
          return try reading.skip(&scanner, depth: depth + 1)
        }
        if try enter(rest, &scanner, depth + 1, body) { isFound = true }
      }
    default: try reading.skip(&scanner, depth: depth)
    }
    return isFound
  }

  /// Reads a list of records in the form of the mapping, or one record.
  private func records(
    _ scanner: inout JSONScanner, _ depth: Int,
    _ body: (inout JSONScanner, _ depth: Int, _ name: String?) throws -> Void
  ) throws {
    func record(_ scanner: inout JSONScanner, _ depth: Int, _ name: String?) throws {
      scanner.skipSpace()
      let start = scanner.position
      try body(&scanner, depth, name)
      if !reading.faults.isEmpty {
        throw reading.faults.error(in: scanner.bytes, isText: reading.isText, record: start)
      }
    }
    if scanner.next == UInt8(ascii: "[") {
      try reading.forEachElement(&scanner, depth: depth) { try record(&$0, depth + 1, nil) }
    } else if case .keyed = plan.list, scanner.next == UInt8(ascii: "{") {
      try reading.forEachMember(&scanner, depth: depth) { try record(&$1, depth + 1, $0) }
    } else {
      try record(&scanner, depth, nil)
    }
  }
}
