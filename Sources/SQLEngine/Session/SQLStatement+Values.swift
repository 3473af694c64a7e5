internal import FoundationEssentials
package import ORMStorage

extension SQLStatement {
  /// Binds the parameters of a request's text.
  ///
  /// - Parameter outer: the values of rows outside of the statement.
  func bind(
    _ query: SQLQuery, _ request: FetchRequest, _ evaluators: [SQLEvaluator],
    outer: [StoredValue] = []
  ) throws {
    for parameter in query.parameters {
      let position = parameter.first
      switch parameter.binding {
      case .parameter(let slot, let form):
        guard request.bindings.indices.contains(slot) else {
          throw StoreError(.invalidCondition, "the request has no value for parameter \(slot)")
        }
        if let count = parameter.listCount {
          try bind(list: request.bindings[slot], form, count, at: position)
        } else {
          try bind(request.bindings[slot], form, at: position)
        }
      case .constant(let value, let form): try bind(value, form, at: position)
      case .outer(let number, let form): try bind(outer[number], form, at: position)
      case .evaluator(let number): try bind(evaluator: evaluators[number], at: position)
      case .limit: try bind(Int64(request.limit ?? -1), at: position)
      case .offset: try bind(Int64(request.offset), at: position)
      case .column, .columnOfRows: break
      }
    }
  }

  /// Binds the constants of a put; its columns come from the source.
  func bindConstants(_ query: SQLQuery) throws {
    for parameter in query.parameters {
      switch parameter.binding {
      case .constant(let value, let form): try bind(value, form, at: parameter.first)
      case .evaluator:
        throw StoreError(.invalidCondition, "a text that only has constants asks for an evaluator")
      case .parameter, .column, .columnOfRows, .outer, .limit, .offset: break
      }
    }
  }

  /// Binds a list, the last element again where there are more placeholders than elements.
  private func bind(
    list: StoredValue, _ form: SQLForm, _ count: Int, at first: Int
  ) throws {
    guard case .array(let elements) = list, let last = elements.last, elements.count <= count
    else {
      throw StoreError(.invalidCondition, "the list of a request does not match its shape")
    }
    for index in 0..<count {
      try bind(index < elements.count ? elements[index] : last, form, at: first + index)
    }
  }

  /// Binds a value in a form.
  package func bind(_ value: StoredValue, _ form: SQLForm, at parameter: Int) throws {
    switch form {
    case .stored(let kind): try bind(value, storedAs: kind, at: parameter)
    case .tagged:
      try TaggedValue.bytes(of: value).withUnsafeBytes { try bind(blob: $0, at: parameter) }
    case .likeBeginning(let isFolded), .likeEnd(let isFolded):
      guard case .string(let pattern) = value else { return try bindNull(at: parameter) }
      let options: TextOptions = isFolded ? .caseInsensitive : []
      let beginning = LikePattern(pattern, options: options).foldedPrefix
      if case .likeEnd = form {
        try bind(endOfPrefix: beginning, at: parameter)
      } else {
        try bind(beginning, at: parameter)
      }
    case .matchBeginning, .matchEnd:
      guard case .string(let pattern) = value else { return try bindNull(at: parameter) }
      let beginning = try TextPattern(pattern).literalPrefix ?? ""
      if case .matchEnd = form {
        try bind(endOfPrefix: beginning, at: parameter)
      } else {
        try bind(beginning, at: parameter)
      }
    case .folded, .bytes, .byteCount, .prefixEnd:
      guard case .string(var text) = value else { return try bindNull(at: parameter) }
      if form.isFolded { text = TextFolding.fold(text, .caseInsensitive) }
      switch form {
      case .bytes: try text.withUTF8 { try bind(blob: UnsafeRawBufferPointer($0), at: parameter) }
      case .byteCount: try bind(Int64(text.utf8.count), at: parameter)
      case .prefixEnd: try bind(endOfPrefix: text, at: parameter)
      default: try bind(text, at: parameter)
      }
    }
  }

  private func bind(
    _ value: StoredValue, storedAs kind: AttributeType.Kind, at parameter: Int
  ) throws {
    switch value {
    case .null: try bindNull(at: parameter)
    case .bool(let value): try bind(value ? 1 as Int64 : 0, at: parameter)
    case .int(let value):
      if kind == .unsigned {
        // Below every digit, and so a text less than that of any number there is.
        if value < 0 { return try bind("-", at: parameter) }
        try bind(digits: UInt64(value), at: parameter)
      } else {
        try bind(value, at: parameter)
      }
    case .uint(let value): try bind(digits: value, at: parameter)
    case .double(let value): try bind(value, at: parameter)
    case .string(let value), .json(let value): try bind(value, at: parameter)
    case .data(let value): try value.withUnsafeBytes { try bind(blob: $0, at: parameter) }
    case .date(let value): try bind(value.timeIntervalSinceReferenceDate, at: parameter)
    case .uuid(let value):
      try withUnsafeBytes(of: value.uuid) { try bind(blob: $0, at: parameter) }
    case .decimal(let value): try bind(DecimalText.text(of: value), at: parameter)
    case .array(let value): try bind(array: value, at: parameter)
    }
  }

  /// Binds an unsigned integer as its text of twenty digits, which orders as the numbers do.
  @usableFromInline
  package func bind(digits value: UInt64, at parameter: Int) throws {
    try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var rest = value
      for index in stride(from: 19, through: 0, by: -1) {
        digits[index] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      try bind(text: UnsafeRawBufferPointer(digits), at: parameter)
    }
  }
}

extension SQLForm {
  fileprivate var isFolded: Bool {
    switch self {
    case .stored, .tagged, .matchBeginning, .matchEnd: false
    case .likeBeginning(let isFolded), .likeEnd(let isFolded): isFolded
    case .folded: true
    case .bytes(let isFolded), .byteCount(let isFolded), .prefixEnd(let isFolded): isFolded
    }
  }
}
