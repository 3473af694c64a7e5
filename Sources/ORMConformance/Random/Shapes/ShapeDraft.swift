/// An object as a program sets it: with links by key, or to objects that are saved too.
struct ShapeDraft {
  var kind: Int
  /// The number of its key; nil where the store gives it.
  var id: Int?
  var label: Int
  /// The relationships that are set, with their targets.
  var sets: [(end: GraphShape.Reference, elements: [Element])] = []

  enum Element {
    case key(Int)
    indirect case object(ShapeDraft)

    /// The key; nil for an object.
    var key: Int? { if case .key(let id) = self { id } else { nil } }
    /// The object; nil for a key.
    var object: ShapeDraft? { if case .object(let draft) = self { draft } else { nil } }
  }
}

extension ShapeDraft: CustomStringConvertible {
  var description: String { text(nil) }

  /// Returns the draft in words, with the names of a shape where it is known.
  func text(_ shape: GraphShape?) -> String {
    let links = sets.map { reference, elements in
      let name =
        shape?.end(reference)?.name ?? "\(reference.bond)\(reference.isSource ? "" : " back")"
      let list = elements.map { element in
        switch element {
        case .key(let id): "\(id)"
        case .object(let draft): draft.text(shape)
        }
      }
      return ", \(name): [\(list.joined(separator: ", "))]"
    }
    let key = id.map { "\($0)" } ?? "new"
    return "\(GraphShape.names[kind])(\(key), label \(label)\(links.joined()))"
  }
}
