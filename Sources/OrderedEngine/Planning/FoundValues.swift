internal import ORMCore

/// Values that are looked for among other rows before the rows themselves are, and bound as a list.
struct FoundValues: CustomStringConvertible {
  /// The requests, each but the first given what the one before found as its only list.
  let requests: [Request]
  /// Where the list goes among the bindings.
  let slot: Int

  /// One request for values.
  struct Request {
    let shape: FetchShape
    /// Which of the bindings its parameters are; nil for those of what was found before.
    let slots: [Int]?
  }

  var description: String {
    let ways = requests.map { "\($0.shape.entity) where \($0.shape.condition)" }
    return "$\(slot) from \(ways.joined(separator: ", then "))"
  }
}
