internal import ORM

/// The writing of the relationships of a record.
protocol LinkWriting {
  /// Returns whether the link has anything to write.
  func isWritten(_ link: Int) -> Bool
  /// Returns whether the link is known to lead nowhere.
  func isNull(_ link: Int) -> Bool
  /// Writes the link.
  func write(_ link: Int, to writer: inout JSONWriter) throws
}

/// The writing of rows, whose links are attributes.
struct NoLinkWriting: LinkWriting {
  func isWritten(_ link: Int) -> Bool { false }
  func isNull(_ link: Int) -> Bool { true }
  func write(_ link: Int, to writer: inout JSONWriter) throws {}
}

extension RecordPlan {
  /// Writes the values of a record in the form of a tree.
  func write(
    _ tree: WriteTree, _ values: [StoredValue], _ links: some LinkWriting, writesNulls: Bool,
    to writer: inout JSONWriter
  ) throws {
    switch tree {
    case .object(let members, let presence):
      if let presence, values[presence].isNull { return writer.literal("null") }
      writer.beginObject()
      for (name, value) in members
      where isWritten(value, values, links, writesNulls: writesNulls) {
        writer.key(name)
        try write(value, values, links, writesNulls: writesNulls, to: &writer)
      }
      writer.end()
    case .array(let elements):
      writer.beginArray()
      for element in elements {
        if let element, isKnown(element, links) {
          try write(element, values, links, writesNulls: writesNulls, to: &writer)
        } else {
          writer.literal("null")
        }
      }
      writer.end()
    case .column(let column): try write(column, values[column], to: &writer)
    case .elements(let column, let path):
      guard case .array(let elements) = values[column], case .array(let type) = columns[column].type
      else { return writer.literal("null") }
      writer.beginArray()
      for element in elements {
        try writer.write(path[...]) { try $0.write(element, as: type) }
      }
      writer.end()
    case .link(let link): try links.write(link, to: &writer)
    case .text(let text): writer.string(text)
    }
  }

  /// Returns whether a link has anything to write; true for everything else.
  func isKnown(_ tree: WriteTree, _ links: some LinkWriting) -> Bool {
    if case .link(let link) = tree { links.isWritten(link) } else { true }
  }

  /// Returns whether a member is written: links that are not known are not, and null where the
  /// mapping leaves it out.
  private func isWritten(
    _ tree: WriteTree, _ values: [StoredValue], _ links: some LinkWriting, writesNulls: Bool
  ) -> Bool {
    guard isKnown(tree, links) else { return false }
    if writesNulls { return true }
    switch tree {
    case .column(let column), .elements(let column, path: _): return !values[column].isNull
    case .object(_, presence: let column?): return !values[column].isNull
    case .object(let members, presence: nil):
      return members.contains {
        isWritten($0.value, values, links, writesNulls: writesNulls)
      }
    case .array, .text: return true
    case .link(let link): return !links.isNull(link)
    }
  }
}
