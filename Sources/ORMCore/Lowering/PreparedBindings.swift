internal import ORMStorage

/// The sources of a shape's bindings: for each slot, the value of a request that fills it.
///
/// The sources are found by lowering the request once more with other values, no two of which are
/// equal. The content of a slot then shows where it came from. That holds for any values of the
/// same kinds because
/// - a signature leaves out of what is worked out of constants, and holds what else matters of a
///   value (``ShapeSignature``);
/// - every value has come through, so that no part was dropped, and equalities were not joined in
///   a list;
/// - no two sides of an AND or OR are the same but for their values, one of which would be dropped
///   if the values were the same as well.
struct PreparedBindings: Sendable {
  /// Of each slot; nil where they are the values in their order.
  private let sources: [Source]?

  private enum Source: Sendable {
    /// The value with this number.
    case value(Int)
    /// The text with this number, brought into NFC.
    case normalized(Int)
    /// A truth value, which the signature determines.
    case constant(StoredValue)
  }

  /// Finds where bindings come from; nil where values decide more than that.
  ///
  /// - Parameters:
  ///   - probe: the request for other values, ``StoredValue/probe(_:)`` of each by its number.
  ///   - request: the request for `values`.
  init?(of probe: FetchRequest, as request: FetchRequest, _ values: [StoredValue]) {
    guard probe.shape == request.shape, !probe.shape.hasDuplicates else { return nil }
    let probes = values.enumerated().map { $1.probe($0) }
    var used = [Bool](repeating: false, count: values.count)
    var sources: [Source] = []
    for binding in probe.bindings {
      if case .bool = binding {
        sources.append(.constant(binding))
        continue
      }
      var source: Source?
      for (number, probe) in probes.enumerated() where !used[number] {
        if binding.isIdentical(to: probe) {
          source = .value(number)
        } else if case .string(let text) = probe,
          binding.isIdentical(to: .string(TextFolding.normalizeNFC(text)))
        {
          source = .normalized(number)
        } else {
          continue
        }
        used[number] = true
        break
      }
      guard let source else { return nil }
      sources.append(source)
    }
    guard used.allSatisfy(\.self) else { return nil }
    let isInOrder =
      sources.count == values.count
      && sources.enumerated().allSatisfy { slot, source in
        if case .value(slot) = source { true } else { false }
      }
    self.sources = isInOrder ? nil : sources
    let bindings = self.bindings(of: values)
    guard bindings.count == request.bindings.count,
      zip(bindings, request.bindings).allSatisfy({ $0.isIdentical(to: $1) })
    else { return nil }
  }

  /// The bindings for the values of a question with the same signature.
  func bindings(of values: [StoredValue]) -> [StoredValue] {
    guard let sources else { return values }
    var bindings: [StoredValue] = []
    bindings.reserveCapacity(sources.count)
    for source in sources {
      switch source {
      case .value(let number): bindings.append(values[number])
      case .constant(let value): bindings.append(value)
      case .normalized(let number):
        guard case .string(let text) = values[number] else {
          bindings.append(values[number])
          continue
        }
        bindings.append(.string(TextFolding.normalizeNFC(text)))
      }
    }
    return bindings
  }
}
