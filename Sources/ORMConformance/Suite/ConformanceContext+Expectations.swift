public import ORM

extension ConformanceContext {
  /// Fails the case.
  public func failure(
    _ subject: String, expected: String, got: String, file: String = #fileID, line: Int = #line
  ) -> ConformanceFailure {
    ConformanceFailure(
      name: name, clauses: clauses, store: provider.name, subject: Self.cut(subject),
      expected: Self.cut(expected), got: Self.cut(got), location: "\(file):\(line)")
  }

  /// A text short enough to be read.
  private static func cut(_ text: String) -> String {
    text.count > 1000 ? "\(text.prefix(600)) … \(text.suffix(200))" : text
  }

  func failure(surprise error: any Error) -> ConformanceFailure {
    ConformanceFailure(
      name: name, clauses: clauses, store: provider.name, subject: "", expected: "no error",
      got: Self.cut("\(error)"), location: "the case")
  }

  /// Something holds.
  public func expect(
    _ condition: Bool, _ subject: String, file: String = #fileID, line: Int = #line
  ) throws {
    guard condition else {
      throw failure(subject, expected: "it holds", got: "it does not", file: file, line: line)
    }
  }

  /// Two values are equal.
  public func expectEqual<Value: Equatable>(
    _ got: Value, _ expected: Value, _ subject: String = "", file: String = #fileID,
    line: Int = #line
  ) throws {
    guard got == expected else {
      throw failure(subject, expected: "\(expected)", got: "\(got)", file: file, line: line)
    }
  }

  /// Two values are the same to the last bit.
  public func expectSame(
    _ got: [StoredValue], _ expected: [StoredValue], _ subject: String = "",
    file: String = #fileID, line: Int = #line
  ) throws {
    guard StoredValue.array(got).isIdentical(to: .array(expected)) else {
      throw failure(subject, expected: "\(expected)", got: "\(got)", file: file, line: line)
    }
  }

  /// A value is there.
  public func unwrap<Value>(
    _ value: Value?, _ subject: String, file: String = #fileID, line: Int = #line
  ) throws -> Value {
    guard let value else {
      throw failure(subject, expected: "a value", got: "nil", file: file, line: line)
    }
    return value
  }

  /// Expects that the body throws a `StoreError` with this code, and with the other properties that are
  /// given.
  @discardableResult
  public func expectError<Result>(
    _ code: StoreError.Code, entity: String? = nil, attributes: [String]? = nil,
    key: [StoredValue]? = nil, values: [StoredValue]? = nil, _ subject: String = "",
    file: String = #fileID, line: Int = #line, _ body: () throws -> Result
  ) throws -> StoreError {
    let outcome = Swift.Result { try body() }
    return try check(
      outcome, Fault(code, entity, attributes, key, values), subject, file: file, line: line)
  }

  /// The body throws a `StoreError` with this code; for asynchronous bodies.
  @discardableResult
  public func expectErrorAsync<Result>(
    _ code: StoreError.Code, _ subject: String = "", file: String = #fileID, line: Int = #line,
    _ body: () async throws -> Result
  ) async throws -> StoreError {
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(try await body())
    } catch {
      outcome = .failure(error)
    }
    return try check(outcome, Fault(code), subject, file: file, line: line)
  }

  private struct Fault: CustomStringConvertible {
    var code: StoreError.Code
    var entity: String?
    var attributes: [String]?
    var key: [StoredValue]?
    var values: [StoredValue]?

    init(
      _ code: StoreError.Code, _ entity: String? = nil, _ attributes: [String]? = nil,
      _ key: [StoredValue]? = nil, _ values: [StoredValue]? = nil
    ) {
      self.code = code
      self.entity = entity
      self.attributes = attributes
      self.key = key
      self.values = values
    }

    func fits(_ error: StoreError) -> Bool {
      error.code == code && entity.map { $0 == error.entity } ?? true
        && attributes.map { $0 == error.attributes } ?? true && key.map { $0 == error.key } ?? true
        && values.map { $0 == error.values } ?? true
    }

    var description: String {
      var text = code.rawValue
      if let entity { text += ", entity \(entity)" }
      if let attributes { text += ", attributes \(attributes)" }
      if let key { text += ", key \(key)" }
      if let values { text += ", values \(values)" }
      return text
    }
  }

  private func check<Result>(
    _ outcome: Swift.Result<Result, any Error>, _ fault: Fault, _ subject: String, file: String,
    line: Int
  ) throws -> StoreError {
    switch outcome {
    case .success(let value):
      throw failure(subject, expected: "\(fault)", got: "\(value)", file: file, line: line)
    case .failure(let error):
      guard let error = error as? StoreError, fault.fits(error) else {
        var got = "\(error)"
        if let error = error as? StoreError { got += ", key \(error.key), values \(error.values)" }
        throw failure(subject, expected: "\(fault)", got: got, file: file, line: line)
      }
      return error
    }
  }
}
