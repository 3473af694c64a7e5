internal import FoundationEssentials
internal import ORMStorage

extension StoredValue {
  /// Another value of the same kind, one for each number, which no other number gives; a text that
  /// is not in NFC.
  ///
  /// Lists are of other values, as many as they are.
  func probe(_ number: Int) -> StoredValue {
    guard case .array(let elements) = self else { return single(number) }
    // Past the numbers of single values.
    let first = (number + 1) << 20
    return .array(elements.enumerated().map { $1.single(first + $0) }.asSet())
  }

  private func single(_ number: Int) -> StoredValue {
    switch self {
    case .null, .bool, .array, .json: self
    // Not 0 and 1, which are special beside counts.
    case .int: .int(Int64(number) + 1000)
    case .uint: .uint(UInt64.max - UInt64(number))
    case .double: .double(Double(number) + 0.5)
    case .string: .string("e\u{301}\(number)")
    case .data: .data(Data(withUnsafeBytes(of: number) { Array($0) }))
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number) + 0.5))
    case .decimal: .decimal(Decimal(number) + Decimal(0.5))
    case .uuid:
      withUnsafeBytes(of: number.littleEndian) { bytes in
        .uuid(
          UUID(
            uuid: (
              bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
              0, 0, 0, 0, 0, 0, 0, 1
            )))
      }
    }
  }
}

extension Condition {
  /// The condition with a probe in the place of each value that its signature leaves out, counted
  /// from `number` on.
  func probed(_ number: inout Int) -> Condition { rewriting { $0.probed(&number) } }
}

extension SortTerm {
  /// As a condition is probed.
  func probed(_ number: inout Int) -> SortTerm {
    var copy = self
    copy.operand = operand.rewriting { $0.probed(&number) }
    return copy
  }
}

extension FetchShape.Output {
  /// As a condition is probed.
  func probed(_ number: inout Int) -> FetchShape.Output {
    switch self {
    case .rows, .joined, .groups: return self
    case .values(let operands):
      return .values(operands.map { $0.rewriting { $0.probed(&number) } })
    case .aggregates(let aggregates):
      return .aggregates(
        aggregates.map { aggregate in
          var copy = aggregate
          copy.operand = aggregate.operand?.rewriting { $0.probed(&number) }
          return copy
        })
    }
  }
}

extension Operand {
  /// A probe in the place of a value that a signature leaves out; nil for anything else.
  fileprivate func probed(_ number: inout Int) -> Operand? {
    guard case .value(let value) = self else { return nil }
    switch value {
    case .null, .bool, .json: return nil
    case .array(let elements):
      defer { number += 1 }
      return .value(.array(elements.asSet()).probe(number))
    default:
      defer { number += 1 }
      return .value(value.probe(number))
    }
  }
}
