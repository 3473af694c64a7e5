internal import ORM

extension ObjectReader {
  /// Reads a record: an object, which hooks and the rule of kinds may leave out.
  ///
  /// - Parameters:
  ///   - scanner: at the value, and afterwards past it.
  ///   - depth: the number of objects and arrays around it.
  ///   - name: the name of the member that it is, where that is an attribute.
  /// - Returns: nil for a record that is left out or has faults, which are in the list then.
  /// - Throws: `invalidImport` for text that is not JSON.
  func read(_ scanner: inout JSONScanner, depth: Int, name: String? = nil) throws -> Model? {
    scanner.skipSpace()
    guard scanner.next == UInt8(ascii: "{") else {
      reading.faults.add(
        JSONFault(
          offset: scanner.position, message: "expected an object, found \(scanner.found)",
          entity: plan.entity))
      try reading.skip(&scanner, depth: depth)
      return nil
    }
    guard plan.kind != nil || plan.hasReadingHooks else {
      return try readPlain(&scanner, depth: depth, name: name)
    }
    return try readWithHooks(&scanner, depth: depth, name: name)
  }

  private func readWithHooks(
    _ scanner: inout JSONScanner, depth: Int, name: String?
  ) throws -> Model? {
    let start = scanner.position
    var end = scanner
    try reading.skip(&end, depth: depth)
    var plain = scanner
    scanner = end
    if let kind = plan.kind, !isOf(kind, plain, start) { return nil }
    guard plan.hasReadingHooks else {
      return try readPlain(&plain, depth: depth, name: name)
    }
    let text = String(decoding: plain.bytes[start..<end.position], as: UTF8.self)
    let given = try JSONValue(parsing: text)
    var json = given
    for hook in plan.before where !accepts(start, { try hook(&json) }) { return nil }
    let read =
      json == given
      ? try readPlain(&plain, depth: depth, name: name)
      : try readChanged(json, start, depth: depth, name: name)
    guard var model = read else { return nil }
    for hook in plan.after where !accepts(start, { try hook(&model, json) }) { return nil }
    return model
  }

  /// Reads JSON that a hook changed; its faults are those of the record in the text.
  private func readChanged(
    _ json: JSONValue, _ start: Int, depth: Int, name: String?
  ) throws -> Model? {
    let known = reading.faults.count
    return try json.text.withBytes { bytes in
      var scanner = JSONScanner(bytes)
      guard scanner.next == UInt8(ascii: "{") else {
        reading.faults.add(
          JSONFault(
            offset: start, message: "a hook made the record \(scanner.found)", entity: plan.entity))
        return nil
      }
      let model = try readPlain(&scanner, depth: depth, name: name)
      reading.faults.move(from: known, in: scanner.bytes, to: start)
      return model
    }
  }

  /// Returns whether a hook keeps the record; a failure is a fault of the record.
  private func accepts(_ start: Int, _ hook: () throws -> JSONDecision) -> Bool {
    let reason: String
    do {
      switch try hook() {
      case .keep: return true
      case .skip: return false
      case .fail(let message): reason = message
      }
    } catch {
      reason = "\(error)"
    }
    reading.faults.add(JSONFault(offset: start, message: reason, kind: nil, entity: plan.entity))
    return false
  }
}
