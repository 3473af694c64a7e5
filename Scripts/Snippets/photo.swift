struct Photo: PrimaryKeyed, Codable {
  var id: Int64 = 0
  var title: String
  var image: Data?
  var thumbnail: Data?

  // SNIPPET
}
